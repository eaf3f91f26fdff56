-- Journeys and what one accepted event writes. Times are UTC milliseconds. JSON is text (faithful and cheap).
-- Ids of journeys, owners and keys are packed (see engine/store/src/ids.rs): 32 hex digits take 16 bytes.
-- Rows of a journey point to its number `n`, not to its id: less than half of the bytes, and neighbours stay together.
-- Numbers stand before texts: no bytes are lost between them.
-- keys: two keys of its own, wrapped by the master key; what may be personal is sealed with them before it comes here.
-- owner: the session or person that began it; person: whose verified number it has, or who began it signed in.
create table journeys (
  n integer primary key,
  id blob not null unique,
  workflow text not null,
  version blob not null,
  revision integer not null,
  seq integer not null,
  status text not null,
  step text not null,
  owner blob not null,
  person blob,
  language text not null,
  channel text not null,
  created_at integer not null,
  updated_at integer not null,
  expires_at integer,
  attribution text not null,
  keys text not null,
  state text not null
);
create index journeys_owner on journeys (owner);
create index journeys_person on journeys (person) where person is not null;
create index journeys_expiry on journeys (expires_at) where expires_at is not null and status = 'active';

-- id = n << 20 | seq. The idempotency key stands with the event that used it, the body's hash beside it; of a start only
-- the hash: from its key comes the journey's id.
create table events (
  id integer primary key,
  at integer not null,
  key integer,
  body_hash integer,
  kind text not null,
  actor text not null,
  data text not null
);
create unique index events_key on events (id >> 20, key) where key is not null;

-- id = n << 32 | seq << 12 | index; as old as the event that ordered it.
-- state: 0 pending, 1 running, 2 done, 3 parked, 4 cancelled.
-- next_at: when it is due, or while running when its lease ends.
-- attempts: those that began; claims: claims since the last one that began; epoch: of the database when it was ordered.
create table effects (
  id integer primary key,
  next_at integer not null,
  due_at integer not null,
  deadline integer,
  fence integer not null,
  attempts integer not null,
  attempts_max integer not null,
  state integer not null,
  claims integer not null default 0,
  epoch integer not null default 0,
  kind text not null,
  lane text not null,
  worker text,
  outcome text,
  payload text not null
);
create index effects_next on effects (next_at) where state <= 1;
create index effects_parked on effects (due_at) where state = 3;
create index effects_over on effects (due_at) where state in (2, 4);

-- next_at: due_at, or the end of a claim's lease.
create table timers (
  journey integer not null,
  id text not null,
  next_at integer not null,
  due_at integer not null,
  worker text,
  primary key (journey, id)
) without rowid;
create index timers_next on timers (next_at);

create table answers (
  journey integer not null,
  slot text not null,
  key text not null,
  value text not null,
  primary key (journey, slot, key)
);

create table drafts (
  journey integer not null,
  step text not null,
  at integer not null,
  data text not null,
  primary key (journey, step)
);
