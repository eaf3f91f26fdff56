-- Whose a session is, so that she sees all of hers, and when it was used last (to the hour).
alter table sessions add column person blob;
alter table sessions add column used_at integer not null default 0;
create index sessions_person on sessions (person) where person is not null;
