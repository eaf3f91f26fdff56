-- The idempotency key stands with the event that used it, the key of a start (hashed with who started) with its journey:
-- one row less per event, and neighbours stay together. Keys used before are forgotten.
alter table events add column key bytea;
alter table events add column body_hash bytea;
create unique index events_key on events ((id >> 20), key) where key is not null;
alter table journeys add column start_key bytea;
create unique index journeys_start on journeys (start_key) where start_key is not null;
drop table idempotency;
