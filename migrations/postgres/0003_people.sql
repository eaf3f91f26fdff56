create table sessions (
  token_hash bytea not null primary key,
  id bytea not null,
  created_at bigint not null,
  expires_at bigint not null,
  subject text collate "C" not null
);
create index sessions_expiry on sessions (expires_at);

create table otps (
  id bytea not null primary key,
  purpose text collate "C" not null,
  target_hash bytea not null,
  flow text collate "C" not null,
  nonce text collate "C" not null,
  tries integer not null,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint
);
create index otps_expiry on otps (expires_at);

-- One row per counted send and bucket.
create table otp_sends (
  bucket text collate "C" not null,
  at bigint not null
);
create index otp_sends_bucket on otp_sends (bucket, at);
create index otp_sends_at on otp_sends (at);
