-- The id of a journey comes from the key of its start; an event's key and the hash of its body have 64 bits (keys used
-- before are forgotten). An effect is as old as the event that ordered it; one that is cancelled is due at once.
-- Numbers stand before texts: no bytes are lost between them.
drop index journeys_start;
alter table journeys drop column start_key;

create table events_narrow (
  id bigint primary key,
  at bigint not null,
  key bigint,
  body_hash bigint,
  kind text collate "C" not null,
  actor text collate "C" not null,
  data text collate "C" not null
);
insert into events_narrow (id, at, kind, actor, data) select id, at, kind, actor, data from events order by id;
drop table events;
alter table events_narrow rename to events;
alter index events_narrow_pkey rename to events_pkey;
create unique index events_key on events ((id >> 20), key) where key is not null;

create table effects_narrow (
  id bigint primary key,
  next_at bigint not null,
  due_at bigint not null,
  deadline bigint,
  fence integer not null,
  attempts integer not null,
  attempts_max integer not null,
  state smallint not null,
  kind text collate "C" not null,
  lane text collate "C" not null,
  worker text collate "C",
  outcome text collate "C",
  payload text collate "C" not null
);
insert into effects_narrow select id, next_at, due_at, deadline, fence, attempts, attempts_max, state, kind, lane, worker, outcome, payload
  from effects order by id;
drop table effects;
alter table effects_narrow rename to effects;
alter index effects_narrow_pkey rename to effects_pkey;
create index effects_next on effects (next_at) where state <= 1;
create index effects_parked on effects (due_at) where state = 3;
create index effects_over on effects (due_at) where state in (2, 4);
