/** A day of somebody's calendar (RFC 5545), with an alarm two weeks before. `date`: `2027-12-04`. */
export function reminder(title: string, date: string): string {
  const day = date.replace(/-/g, '');
  const words = title.replace(/([\\,;])/g, '\\$1').replace(/\n/g, ' ');
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Journey//EN',
    'BEGIN:VEVENT',
    `UID:${day}-${words.replace(/\W+/g, '-')}@journey`,
    `DTSTAMP:${day}T000000Z`,
    `DTSTART;VALUE=DATE:${day}`,
    `SUMMARY:${words}`,
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    `DESCRIPTION:${words}`,
    'TRIGGER:-P14D',
    'END:VALARM',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
}
