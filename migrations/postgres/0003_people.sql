create table sessions (
  token_hash bytea not null primary key,
  id bytea not null,
  created_at bigint not null,
  expires_at bigint not null,
  subject text collate "C" not null
);
create index sessions_expiry on sessions (expires_at);

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

-- Who has shown that a mobile number is hers: found by the number's keyed hash. seen_at: her last sign-in.
create table persons (
  id bytea not null primary key,
  mobile bytea not null unique,
  created_at bigint not null,
  seen_at bigint not null,
  profile text not null
);
