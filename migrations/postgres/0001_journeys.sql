-- Journeys and what one accepted event writes. Times are UTC milliseconds. JSON is text (faithful and cheap).
-- Ids of journeys, owners and keys are packed (see engine/store/src/ids.rs): 32 hex digits take 16 bytes.
-- Rows of a journey point to its number `n`, not to its id: less than half of the bytes, and neighbours stay together.
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
  language text collate "C" not null,
  channel text collate "C" not null,
  created_at bigint not null,
  updated_at bigint not null,
  expires_at bigint,
  attribution text collate "C" not null,
  state text collate "C" not null
) with (fillfactor = 70);
create index journeys_owner on journeys (owner);
create index journeys_expiry on journeys (expires_at) where expires_at is not null and status = 'active';

-- id = n << 20 | seq
create table events (
  id bigint primary key,
  at bigint not null,
  kind text collate "C" not null,
  actor text collate "C" not null,
  data text collate "C" not null
);

-- id = n << 32 | seq << 12 | index. state: 0 pending, 1 running, 2 done, 3 parked, 4 cancelled.
-- next_at: when it is due, or while running when its lease ends.
create table effects (
  id bigint primary key,
  next_at bigint not null,
  due_at bigint not null,
  created_at bigint not null,
  fence bigint not null,
  attempts integer not null,
  attempts_max integer not null,
  state smallint not null,
  deadline bigint,
  kind text collate "C" not null,
  lane text collate "C" not null,
  worker text collate "C",
  outcome text collate "C",
  payload text collate "C" not null
);
create index effects_next on effects (next_at) where state <= 1;
create index effects_parked on effects (created_at) where state = 3;
create index effects_over on effects (created_at) where state in (2, 4);

-- next_at: due_at, or the end of a claim's lease.
create table timers (
  journey bigint not null,
  id text collate "C" not null,
  next_at bigint not null,
  due_at bigint not null,
  primary key (journey, id)
);
create index timers_next on timers (next_at);

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

-- journey is null where it is the scope itself.
create table idempotency (
  scope bytea not null,
  key bytea not null,
  body_hash bytea not null,
  journey bytea,
  seq bigint not null,
  at bigint not null,
  primary key (scope, key)
);
create index idempotency_at on idempotency using brin (at);
