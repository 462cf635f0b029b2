-- Looking at a corrected chunk also needs what it said before: the function returns more, so it is made anew.
drop function if exists veraz.seen_document(uuid, uuid);
