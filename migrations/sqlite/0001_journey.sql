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
-- An index ends with the row's number here, which is what lists are read by.
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

-- What a journey leaves behind, and what the outside knows it by.
-- kept: why it stays when its person is forgotten: 0 it served a request and goes, 1 a law asks for it, 2 it stays on the
-- account too.
create table records (
  journey integer not null,
  kind text not null,
  key text not null,
  public_id blob not null unique,
  at integer not null,
  kept integer not null,
  data text not null,
  primary key (journey, kind, key)
);

create table documents (
  id blob not null primary key,
  journey blob not null,
  name text not null,
  media_type text not null,
  at integer not null,
  bytes blob not null
);

-- Which documents there are of a journey.
create index documents_journey on documents (journey);

-- Files that people send with a journey; their bytes lie sealed outside of the database. size: as announced, received: so
-- many bytes of it are there; version counts its changes; due: when somebody is to look at it; kept: it stays with a record
-- that stays on the account.
-- state: 0 receiving, 1 checking, 2 scanning, 3 ready, 4 refused, 5 replaced, 6 removed.
create table uploads (
  id blob not null primary key,
  journey blob not null,
  kind text not null,
  state integer not null,
  version integer not null,
  size integer not null,
  received integer not null,
  kept integer not null,
  at integer not null,
  due integer,
  data text not null
);
create index uploads_journey on uploads (journey);
create index uploads_due on uploads (due) where due is not null;

create table correlations (
  partner text not null,
  reference text not null,
  journey blob not null,
  expected text not null,
  primary key (partner, reference)
) without rowid;

-- state: 0 parked (waits for its journey), 1 consumed by a commit, 2 dropped. A key that was seen stays.
create table webhooks (
  partner text not null,
  once text not null,
  state integer not null,
  reference text not null,
  at integer not null,
  event text not null,
  primary key (partner, once)
);
create index webhooks_parked on webhooks (at) where state = 0;

create table replies (
  source text not null,
  input_hash blob not null,
  at integer not null,
  output text not null,
  primary key (source, input_hash)
);

create table incidents (
  id blob not null primary key,
  journey blob not null,
  version blob not null,
  place text not null,
  reason text not null,
  at integer not null,
  closed_at integer,
  closed_by text,
  detail text not null
);
create index incidents_open on incidents (at) where closed_at is null;
-- What an operator asks: the incidents of one journey.
create index incidents_journey on incidents (journey);

-- person: whose it is, so that she sees all of hers; used_at: when it was used last, to the hour.
create table sessions (
  token_hash blob not null primary key,
  id blob not null,
  created_at integer not null,
  expires_at integer not null,
  used_at integer not null default 0,
  person blob,
  subject text not null
) without rowid;
create index sessions_expiry on sessions (expires_at);
create index sessions_person on sessions (person) where person is not null;

-- Sends that a gate counts: numbered by recipient (two nodes cannot both take the last free place), and in each wider
-- bucket by the slot of time in which they fall.
create table sends (
  recipient blob not null,
  number integer not null,
  at integer not null,
  primary key (recipient, number)
) without rowid;
create index sends_at on sends (at);

create table send_counts (
  bucket blob not null,
  slot integer not null,
  count integer not null,
  primary key (bucket, slot)
) without rowid;
create index send_counts_slot on send_counts (slot);

-- What was sent to people: one row per effect that ordered it (its id: n << 32 | seq << 12 | index), kept longer than the
-- effect. state: 0 failed, 1 sent, 2 skipped. The recipient is masked; its keyed hash finds all messages to one address.
create table messages (
  effect integer primary key,
  ordered_at integer not null,
  at integer not null,
  state integer not null,
  message text not null,
  channel text not null,
  purpose text not null,
  language text not null,
  template_id text,
  recipient text not null,
  recipient_hash blob not null,
  provider_id text,
  reason text
);
create index messages_at on messages (at);
create index messages_recipient on messages (recipient_hash);

-- When somebody was last active on a journey's page; online: 0 once no ping has come for a while. No further index: rows
-- change every half minute.
create table presence (
  journey integer primary key,
  seen_at integer not null,
  online integer not null
);

-- Who has shown that a mobile number is hers: found by the number's keyed hash. created_at: when her account began, or began
-- anew after she was forgotten; seen_at: her last sign-in; keys: two of her own, wrapped by the master key.
create table persons (
  id blob not null primary key,
  mobile blob not null unique,
  created_at integer not null,
  seen_at integer not null,
  profile text not null,
  keys text not null
) without rowid;

-- Content by hash; a version's closure and a publication's manifest are JSON lists of [path, hash]. format: of the
-- definitions' language in which a version is written.
create table files (
  hash blob not null primary key,
  content blob not null
);

create table versions (
  workflow text not null,
  version blob not null,
  closure text not null,
  format integer not null,
  primary key (workflow, version)
);

-- versions: JSON list of [workflow, version] that this publication made known.
create table publications (
  number integer not null primary key,
  at integer not null,
  actor text not null,
  manifest text not null,
  versions text not null
);

create table kv (
  bucket text not null,
  key text not null,
  value text not null,
  primary key (bucket, key)
);

-- What was seen and done by whom. Rows are only added: each carries the keyed hash of itself and of the one before it in
-- its chain, which is a journey or one of the program's own.
create table audit (
  chain blob not null,
  number integer not null,
  at integer not null,
  hash blob not null,
  row text not null,
  primary key (chain, number)
) without rowid;
create index audit_at on audit (at);
create trigger audit_is_not_changed before update on audit begin
  select raise(abort, 'rows of the audit trail are only added');
end;
create trigger audit_is_not_cut before delete on audit begin
  select raise(abort, 'rows of the audit trail are only added');
end;
