-- Journeys and what one accepted event writes. Times are UTC milliseconds. JSON is text (faithful and cheap).
-- Ids of journeys, owners and keys are packed (see engine/store/src/ids.rs): 32 hex digits take 16 bytes.
-- Rows of a journey point to its number `n`, not to its id: less than half of the bytes, and neighbours stay together.
-- Numbers stand before texts: no bytes are lost between them.
-- keys: two keys of its own, wrapped by the master key; what may be personal is sealed with them before it comes here.
-- owner: the session or person that began it; person: whose verified number it has, or who began it signed in.
create table journeys (
  n bigint generated always as identity (cache 16) primary key,
  id bytea not null unique,
  workflow text collate "C" not null,
  version bytea not null,
  revision bigint not null,
  seq bigint not null,
  status text collate "C" not null,
  step text collate "C" not null,
  owner bytea not null,
  person bytea,
  language text collate "C" not null,
  channel text collate "C" not null,
  created_at bigint not null,
  updated_at bigint not null,
  expires_at bigint,
  attribution text collate "C" not null,
  keys text collate "C" not null,
  state text collate "C" not null
) with (fillfactor = 70);
create index journeys_owner on journeys (owner);
create index journeys_person on journeys (person) where person is not null;
create index journeys_expiry on journeys (expires_at) where expires_at is not null and status = 'active';

-- id = n << 20 | seq. The idempotency key stands with the event that used it, the body's hash beside it; of a start only
-- the hash: from its key comes the journey's id.
create table events (
  id bigint primary key,
  at bigint not null,
  key bigint,
  body_hash bigint,
  kind text collate "C" not null,
  actor text collate "C" not null,
  data text collate "C" not null
);
create unique index events_key on events ((id >> 20), key) where key is not null;

-- id = n << 32 | seq << 12 | index; as old as the event that ordered it.
-- state: 0 pending, 1 running, 2 done, 3 parked, 4 cancelled.
-- next_at: when it is due, or while running when its lease ends.
-- attempts: those that began; claims: claims since the last one that began; epoch: of the database when it was ordered.
create table effects (
  id bigint primary key,
  next_at bigint not null,
  due_at bigint not null,
  deadline bigint,
  fence integer not null,
  attempts integer not null,
  attempts_max integer not null,
  state smallint not null,
  claims smallint not null default 0,
  epoch smallint not null default 0,
  kind text collate "C" not null,
  lane text collate "C" not null,
  worker text collate "C",
  outcome text collate "C",
  payload text collate "C" not null
);
create index effects_next on effects (next_at) where state <= 1;
create index effects_parked on effects (due_at) where state = 3;
create index effects_over on effects (due_at) where state in (2, 4);

-- next_at: due_at, or the end of a claim's lease.
create table timers (
  journey bigint not null,
  id text collate "C" not null,
  next_at bigint not null,
  due_at bigint not null,
  worker text collate "C",
  primary key (journey, id)
);
create index timers_next on timers (next_at);

-- Who works on this database: a sign of life, by the database's own clock.
create table workers (
  id text collate "C" not null primary key,
  seen_at bigint not null
) with (fillfactor = 50);

create table answers (
  journey bigint not null,
  slot text collate "C" not null,
  key text collate "C" not null,
  value text collate "C" not null,
  primary key (journey, slot, key)
);

create table drafts (
  journey bigint not null,
  step text collate "C" not null,
  at bigint not null,
  data text collate "C" not null,
  primary key (journey, step)
);
