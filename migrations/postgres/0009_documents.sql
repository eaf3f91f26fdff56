-- Which documents there are of a journey.
create index documents_journey on documents (journey);
