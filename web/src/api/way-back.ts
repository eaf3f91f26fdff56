/** What a start says where cookies are refused: the server does not begin what it could not go on with. */
import { keepsCookies } from '../site/cookies';

export const wayBack = (): Record<string, string> => (keepsCookies() ? {} : { 'x-cookies': 'off' });
