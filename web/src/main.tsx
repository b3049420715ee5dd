import {render} from 'preact';
import {App} from './app';
import {keepWatch} from './resource';
import 'uplot/dist/uPlot.min.css';
import './style/tokens.css';
import './style/page.css';
import './style/parts.css';

const root = document.getElementById('app');
if (root) {
  render(<App />, root);
  keepWatch();
}
