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
