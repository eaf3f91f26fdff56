-- What a journey leaves behind, and what the outside knows it by.
create table records (
  journey bigint not null,
  kind text collate "C" not null,
  key text collate "C" not null,
  public_id bytea not null unique,
  at bigint not null,
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
