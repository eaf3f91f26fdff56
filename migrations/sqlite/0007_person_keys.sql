-- Two keys of her own, wrapped by the master key. Empty: her profile is sealed with the house's until she changes it.
alter table persons add column keys text not null default '';
