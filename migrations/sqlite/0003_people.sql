create table sessions (
  token_hash blob not null primary key,
  id blob not null,
  created_at integer not null,
  expires_at integer not null,
  subject text not null
) without rowid;
create index sessions_expiry on sessions (expires_at);

create table otps (
  id blob not null primary key,
  purpose text not null,
  target_hash blob not null,
  flow text not null,
  nonce text not null,
  tries integer not null,
  created_at integer not null,
  expires_at integer not null,
  used_at integer
) without rowid;
create index otps_expiry on otps (expires_at);

-- One row per counted send and bucket.
create table otp_sends (
  bucket text not null,
  at integer not null
);
create index otp_sends_bucket on otp_sends (bucket, at);
create index otp_sends_at on otp_sends (at);
