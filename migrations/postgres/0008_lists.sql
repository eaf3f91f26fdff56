-- What somebody began, or what is hers, is read from the newest on: a page of a list costs the same however much there is.
drop index journeys_owner;
drop index journeys_person;
create index journeys_owner on journeys (owner, n);
create index journeys_person on journeys (person, n) where person is not null;
