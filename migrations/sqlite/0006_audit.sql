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
