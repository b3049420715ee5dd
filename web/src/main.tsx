import {render} from 'preact';
import {App} from './app';
import {keepWatch} from './resource';
import './style/tokens.css';
import './style/base.css';
import './style/shell.css';
import './style/parts.css';
import './style/heat.css';

const root = document.getElementById('app');
if (root) {
  render(<App />, root);
  keepWatch();
}
