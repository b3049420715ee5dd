// The API key that writes need. It lives as long as the tab and is sent nowhere but to this server.
import {kept} from './kept';

export const key = kept('sessionStorage', 'tunehub.key', '');
