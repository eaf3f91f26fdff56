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
-- What somebody began, or what is hers, is read from the newest on: a page of a list costs the same however much there is.
create index journeys_owner on journeys (owner, n);
create index journeys_person on journeys (person, n) where person is not null;
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

-- What a journey leaves behind, and what the outside knows it by.
-- kept: why it stays when its person is forgotten: 0 it served a request and goes, 1 a law asks for it, 2 it stays on the
-- account too.
create table records (
  journey bigint not null,
  kind text collate "C" not null,
  key text collate "C" not null,
  public_id bytea not null unique,
  at bigint not null,
  kept bigint not null,
  data text collate "C" not null,
  primary key (journey, kind, key)
);

create table documents (
  id bytea not null primary key,
  journey bytea not null,
  name text collate "C" not null,
  media_type text collate "C" not null,
  at bigint not null,
  bytes bytea not null
);

-- Which documents there are of a journey.
create index documents_journey on documents (journey);

-- Files that people send with a journey; their bytes lie sealed outside of the database. size: as announced, received: so
-- many bytes of it are there; version counts its changes; due: when somebody is to look at it; kept: it stays with a record
-- that stays on the account.
-- state: 0 receiving, 1 checking, 2 scanning, 3 ready, 4 refused, 5 replaced, 6 removed.
create table uploads (
  id bytea not null primary key,
  journey bytea not null,
  kind text collate "C" not null,
  state bigint not null,
  version bigint not null,
  size bigint not null,
  received bigint not null,
  kept bigint not null,
  at bigint not null,
  due bigint,
  data text collate "C" not null
);
create index uploads_journey on uploads (journey);
create index uploads_due on uploads (due) where due is not null;

create table correlations (
  partner text collate "C" not null,
  reference text collate "C" not null,
  journey bytea not null,
  expected text collate "C" not null,
  primary key (partner, reference)
);

-- state: 0 parked (waits for its journey), 1 consumed by a commit, 2 dropped. A key that was seen stays.
create table webhooks (
  partner text collate "C" not null,
  once text collate "C" not null,
  state smallint not null,
  reference text collate "C" not null,
  at bigint not null,
  event text collate "C" not null,
  primary key (partner, once)
);
create index webhooks_parked on webhooks (at) where state = 0;

create table replies (
  source text collate "C" not null,
  input_hash bytea not null,
  at bigint not null,
  output text collate "C" not null,
  primary key (source, input_hash)
);

create table incidents (
  id bytea not null primary key,
  journey bytea not null,
  version bytea not null,
  place text collate "C" not null,
  reason text collate "C" not null,
  at bigint not null,
  closed_at bigint,
  closed_by text collate "C",
  detail text collate "C" not null
);
create index incidents_open on incidents (at) where closed_at is null;
-- What an operator asks: the incidents of one journey.
create index incidents_journey on incidents (journey);

-- person: whose it is, so that she sees all of hers; used_at: when it was used last, to the hour.
create table sessions (
  token_hash bytea not null primary key,
  id bytea not null,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint not null default 0,
  person bytea,
  subject text collate "C" not null
);
create index sessions_expiry on sessions (expires_at);
create index sessions_person on sessions (person) where person is not null;

-- Sends that a gate counts: numbered by recipient (two nodes cannot both take the last free place), and in each wider
-- bucket by the slot of time in which they fall.
create table sends (
  recipient bytea not null,
  number bigint not null,
  at bigint not null,
  primary key (recipient, number)
);
create index sends_at on sends (at);

create table send_counts (
  bucket bytea not null,
  slot bigint not null,
  count bigint not null,
  primary key (bucket, slot)
);
create index send_counts_slot on send_counts (slot);

-- What was sent to people: one row per effect that ordered it (its id: n << 32 | seq << 12 | index), kept longer than the
-- effect. state: 0 failed, 1 sent, 2 skipped. The recipient is masked; its keyed hash finds all messages to one address.
create table messages (
  effect bigint primary key,
  ordered_at bigint not null,
  at bigint not null,
  state smallint not null,
  message text collate "C" not null,
  channel text collate "C" not null,
  purpose text collate "C" not null,
  language text collate "C" not null,
  template_id text collate "C",
  recipient text collate "C" not null,
  recipient_hash bytea not null,
  provider_id text collate "C",
  reason text collate "C"
);
create index messages_at on messages (at);
create index messages_recipient on messages (recipient_hash);

-- When somebody was last active on a journey's page; online: 0 once no ping has come for a while. No further index: rows
-- change every half minute.
create table presence (
  journey bigint primary key,
  seen_at bigint not null,
  online smallint not null
) with (fillfactor = 70);

-- Who has shown that a mobile number is hers: found by the number's keyed hash. created_at: when her account began, or began
-- anew after she was forgotten; seen_at: her last sign-in; keys: two of her own, wrapped by the master key.
create table persons (
  id bytea not null primary key,
  mobile bytea not null unique,
  created_at bigint not null,
  seen_at bigint not null,
  profile text not null,
  keys text not null
);

-- Content by hash; a version's closure and a publication's manifest are JSON lists of [path, hash]. format: of the
-- definitions' language in which a version is written.
create table files (
  hash bytea not null primary key,
  content bytea not null
);

create table versions (
  workflow text collate "C" not null,
  version bytea not null,
  closure text collate "C" not null,
  format integer not null,
  primary key (workflow, version)
);

-- versions: JSON list of [workflow, version] that this publication made known.
create table publications (
  number bigint not null primary key,
  at bigint not null,
  actor text collate "C" not null,
  manifest text collate "C" not null,
  versions text collate "C" not null
);

create table kv (
  bucket text collate "C" not null,
  key text collate "C" not null,
  value text collate "C" not null,
  primary key (bucket, key)
);

-- What was seen and done by whom. Rows are only added: each carries the keyed hash of itself and of the one before it in
-- its chain, which is a journey or one of the program's own.
create table audit (
  chain bytea not null,
  number bigint not null,
  at bigint not null,
  hash bytea not null,
  row text collate "C" not null,
  primary key (chain, number)
);
create index audit_at on audit (at);
create function audit_only_grows() returns trigger language plpgsql as $$
begin
  raise exception 'rows of the audit trail are only added';
end
$$;
create trigger audit_only_grows before update or delete on audit for each row execute function audit_only_grows();
