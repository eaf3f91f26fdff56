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
