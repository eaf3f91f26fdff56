-- The id of a journey comes from the key of its start; an event's key and the hash of its body have 64 bits (keys used
-- before are forgotten). An effect is as old as the event that ordered it; one that is cancelled is due at once.
drop index journeys_start;
alter table journeys drop column start_key;

create table events_narrow (
  id integer primary key,
  at integer not null,
  key integer,
  body_hash integer,
  kind text not null,
  actor text not null,
  data text not null
);
insert into events_narrow (id, at, kind, actor, data) select id, at, kind, actor, data from events;
drop table events;
alter table events_narrow rename to events;
create unique index events_key on events (id >> 20, key) where key is not null;

drop index effects_parked;
drop index effects_over;
alter table effects drop column created_at;
create index effects_parked on effects (due_at) where state = 3;
create index effects_over on effects (due_at) where state in (2, 4);
