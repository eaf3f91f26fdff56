-- What a journey leaves behind, and what the outside knows it by.
create table records (
  journey integer not null,
  kind text not null,
  key text not null,
  public_id blob not null unique,
  at integer not null,
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
