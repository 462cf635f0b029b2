-- SENTENCES for people, kept in both languages: {"en": …, "es": …}. What was kept before was Spanish.
alter table veraz.webhook
    alter column note type jsonb using case when note <> '' then jsonb_build_object('en', note, 'es', note) end,
    add constraint webhook_note_said check (note ?& array['en', 'es']);
alter table veraz.webhook_delivery
    alter column error type jsonb using case when error <> '' then jsonb_build_object('en', error, 'es', error) end,
    add constraint webhook_delivery_error_said check (error ?& array['en', 'es']);
alter table veraz.agent_change
    alter column message drop not null,
    alter column message drop default,
    alter column message type jsonb using case when message <> '' then jsonb_build_object('en', message, 'es', message) end,
    add constraint agent_change_message_said check (message ?& array['en', 'es']);
