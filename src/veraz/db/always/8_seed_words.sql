-- WORDS IN SQL. A question's words as text/words.py cuts them, for the functions that outside programs call with plain
-- text. It knows simple words, codes, numbers and percentages; tests hold it against the Python version.

create or replace function veraz.stop_words(p_language text) returns text[] language sql immutable parallel safe
return regexp_split_to_array(trim(both e' \n' from case left(lower(p_language), 2)
    when 'es' then '
        a al ante aquel aquella aquellas aquello aquellos aqui asi aun aunque cada como con contra cual cuales cualquier
        cuando cuanto cuya cuyas cuyo cuyos de del desde donde dos e el ella ellas ello ellos en entre es esa esas ese
        eso esos esta estan estas este esto estos fue fueron ha habia han hasta hay la las le les lo los mas me mi mis
        mucho muy ni no nos nosotros nuestra nuestras nuestro nuestros o os otra otras otro otros para pero por porque
        pues que quien quienes se sea segun ser si sido sin sino sobre solo son su sus tal tales tambien tampoco tan
        tanto te ti tu tus u un una unas uno unos usted ustedes y ya yo'
    when 'en' then '
        a about an and are as at be been but by can could did do does for from had has have he her hers him his how i if
        in into is it its me my no not of on or our ours she should so than that the their theirs them then there these
        they this those to too us was we were what when where which who whom whose why with would you your yours'
    when 'pt' then '
        a ao aos aquela aquelas aquele aqueles aquilo as ate com como da das de dela delas dele deles depois do dos e
        ela elas ele eles em entre era essa essas esse esses esta estas este estes eu foi foram ha isso isto ja la lhe
        lhes mais mas me mesmo meu meus minha minhas muito na nao nas nem no nos nossa nosso num numa o os ou para pela
        pelas pelo pelos por quais qual quando que quem se sem ser seu seus so sua suas tambem te tem um uma umas uns
        voce voces'
    when 'fr' then '
        a ai as au aux avec c ce ces cet cette ceux comme d dans de des donc dont du elle elles en est et eux il ils j
        je l la le les leur leurs lui m ma mais me mes moi mon n ne nos notre nous on ont ou par pas plus pour qu quand
        que quel quelle quelles quels qui s sa sans se ses si son sont sous sur t ta te tes toi ton tu un une vos votre
        vous y'
    when 'de' then '
        aber als am an auch auf aus bei bin bis bist da das dass dem den der des die dies diese diesem diesen dieser
        dieses doch du durch ein eine einem einen einer eines er es fur hat ich ihm ihn ihnen ihr ihre im in ist ja kein
        keine man mein mit nach nicht noch nur ob oder ohne sein seine sich sie sind so uber um und uns unter vom von
        vor war was wenn wer wie wir wird zu zum zur'
    when 'it' then '
        a ad agli ai al alla alle allo anche c che chi ci come con cui d da dagli dai dal dalla dalle dallo degli dei
        del della delle dello di dove e ed era gli ha hanno i il in io l la le lei li lo loro lui ma mi mia mie miei mio
        ne negli nei nel nella nelle nello no noi non nostra nostro o per perche piu quale quali quando quella quelle
        quelli quello questa queste questi questo se sei si sia sono sta su sua sue sugli sui sul sulla sulle sullo suo
        suoi ti tra tu tua tuo un una uno vi voi'
    else '' end), '\s+');

do $$
declare
    l record;
begin
    for l in select * from (values
        ('ca', 'catalan'), ('da', 'danish'), ('de', 'german'), ('en', 'english'), ('es', 'spanish'), ('eu', 'basque'),
        ('fi', 'finnish'), ('fr', 'french'), ('hu', 'hungarian'), ('it', 'italian'), ('nl', 'dutch'), ('no', 'norwegian'),
        ('pt', 'portuguese'), ('ro', 'romanian'), ('ru', 'russian'), ('sv', 'swedish'), ('tr', 'turkish')) v(code, name)
    loop
        -- without stop words of their own: «estado» is a subject here
        if not exists (select from pg_ts_dict
                       where dictnamespace = 'veraz'::regnamespace and dictname = 'stem_' || l.code) then
            execute format('create text search dictionary veraz.stem_%s (template = snowball, language = %s)',
                           l.code, l.name);
        end if;
    end loop;
end $$;

-- PostgreSQL's Spanish stemmer knows «-ción» and «-ciones» but not «-cion», which is how words look without accents.
create or replace function veraz.stem(p_word text, p_language text) returns text
language sql stable parallel safe set search_path = pg_catalog, pg_temp
begin atomic
    select case when p_word ~ '^\d+$' then p_word else coalesce(
        (select (ts_lexize(d.oid, case when p_language = 'es' and p_word like '%cion' then p_word || 'es' else p_word end))[1]
         from pg_ts_dict d
         where d.dictnamespace = 'veraz'::regnamespace and d.dictname = 'stem_' || p_language), p_word) end;
end;

-- The words a question is searched by, each once, in order; of a very long one the first.
create or replace function veraz.lexemes(p_text text, p_language text) returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    sign constant text := '[^[:space:][:cntrl:]!-/:-@[-`{-~\u00a1-\u00bf\u00d7\u00f7\u2010-\u2bff\u3000-\u303f\ufe00-\ufe0f\U0001f000-\U0001faff]';
    joint constant text := '[-/._’''&+@]';
    language text := left(lower(p_language), 2);
    plain text := lower(regexp_replace(normalize(left(p_text, 10000), NFKD), '[\u0300-\u036f]+', '', 'g'));
begin
    return (
        with token as (
            select m.found[1] as text, m.place
            from regexp_matches(plain, format('(\d+(?:[.,]\d+)*[ ]?%%|%1$s+(?:%2$s%1$s+|(?<=\d)[,:](?=\d)%1$s+)*)',
                                              sign, joint), 'g') with ordinality m(found, place)
        ), word as (
            select t.place, 1 as turn, regexp_replace(t.text, joint || '|[,: ]', '', 'g') as text from token t
            union all
            select t.place, 2, rtrim(regexp_replace(t.text, '[., ]', '', 'g'), '%') from token t where t.text like '%\%'
            union all
            select t.place, 3, p.text from token t cross join lateral
                regexp_split_to_table(t.text, joint || '|[,:]') p(text)
            where t.text !~ '^\d+([.,]\d+)+$|%$'
            union all
            select t.place, 4, p.text from token t
                cross join lateral regexp_match(t.text, '^(\d+)(\D+)$|^(\D+)(\d+)$') m(found)
                cross join lateral unnest(m.found) p(text)
            where t.text !~ (joint || '|%')
        ), kept as (
            select min(10 * w.place + w.turn) as at, veraz.stem(left(w.text, 64), language) as lexeme
            from word w where w.text <> '' and w.text <> all (veraz.stop_words(language)) group by 2
        )
        select coalesce(array_agg(k.lexeme order by k.at), '{}') from (select * from kept order by at limit 64) k);
end $$;

-- A lexeme's dimension in the sparse vectors: CRC-32, the same on every machine and for ever.
create or replace function veraz.lexeme_id(p_lexeme text) returns int
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
    bytes bytea := convert_to(p_lexeme, 'UTF8');
    crc bigint := 4294967295;
begin
    for place in 0 .. length(bytes) - 1 loop
        crc := crc # get_byte(bytes, place);
        for bit in 1 .. 8 loop
            crc := (crc >> 1) # (3988292384 * (crc & 1));
        end loop;
    end loop;
    return ((crc # 4294967295) & 536870911)::int;
end $$;
