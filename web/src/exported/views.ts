// The views of an export. Takes the place of views.ts.
import {CoverageView} from '../views/coverage';
import {FamiliesView} from '../views/families';
import {OverviewView} from '../views/overview';
import {ResultsView} from '../views/results';
import {RunsView} from '../views/runs';
import {SpeedupsView} from '../views/speedups';
import {TrendsView} from '../views/trends';
import {TuneView} from '../views/tune';
import type {View} from '../views';
import {needsServer} from './needs_server';
import {ShapeView} from './shape_view';

export type {View} from '../views';

const kBuild = 'It judges any model in any build. The tables themselves are files of this copy: see Results.';
const kChanged = 'It compares what is served now with any state before; a copy is of one state.';
const kCompare = 'It compares any two runs, of which there are more pairs than files.';
const kFleet = 'It shows what agents do at this moment.';
const kAudit = 'It is for those who hold a key of the hub.';
const kApi = 'It describes the interface of a server. What is here are the files that index.json lists.';

export const kViews: View[] = [
  {name: '', title: 'Overview', component: OverviewView, listed: true, hasTp: true},
  {name: 'families', title: 'Families', component: FamiliesView, listed: true, hasTp: true},
  {name: 'coverage', title: 'Coverage', component: CoverageView, listed: true, hasTp: true},
  {name: 'build', title: 'Build', component: needsServer('Build', kBuild), listed: true},
  {name: 'changed', title: 'Changed', component: needsServer('Changed', kChanged), listed: true},
  {name: 'trends', title: 'Trends', component: TrendsView, listed: true},
  {name: 'tune', title: 'Tune', component: TuneView, listed: true, hasTp: true},
  {name: 'speedups', title: 'Speedups', component: SpeedupsView, listed: true},
  {name: 'compare', title: 'Compare', component: needsServer('Compare', kCompare), listed: true},
  {name: 'results', title: 'Results', component: ResultsView, listed: true},
  {name: 'shape', title: 'Shape', component: ShapeView, listed: false},
  {name: 'fleet', title: 'Fleet', component: needsServer('Fleet', kFleet), listed: true},
  {name: 'runs', title: 'Runs', component: RunsView, listed: true},
  {name: 'audit', title: 'Audit', component: needsServer('Audit', kAudit), listed: true},
  {name: 'api', title: 'API', component: needsServer('API', kApi), listed: true},
];
