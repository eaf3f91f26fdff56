-- What an operator asks: the incidents of one journey.
create index incidents_journey on incidents (journey);
