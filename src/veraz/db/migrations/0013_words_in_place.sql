-- What is written to the word index waits in a list that every search reads through: 4 MB of it, the usual limit, took 2 ms
-- of a search. With a shorter list a chunk takes 0.06 ms longer to store.
alter index veraz.chunk_words set (gin_pending_list_limit = 256);
-- Words are counted by their terms alone (veraz.known_terms).
drop function if exists veraz.known_words(uuid, uuid[], text, text[], int[]);
