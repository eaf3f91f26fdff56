create table sessions (
  token_hash blob not null primary key,
  id blob not null,
  created_at integer not null,
  expires_at integer not null,
  subject text not null
) without rowid;
create index sessions_expiry on sessions (expires_at);

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

-- Who has shown that a mobile number is hers: found by the number's keyed hash. seen_at: her last sign-in.
create table persons (
  id blob not null primary key,
  mobile blob not null unique,
  created_at integer not null,
  seen_at integer not null,
  profile text not null
) without rowid;
