// Every view: its name in the address, its title, and what draws it. Adding one is a row.
import type {ComponentType} from 'preact';
import {ApiView} from './views/api_view';
import {AuditView} from './views/audit';
import {BuildView} from './views/build';
import {ChangedView} from './views/changed';
import {CompareView} from './views/compare';
import {CoverageView} from './views/coverage';
import {FamiliesView} from './views/families';
import {FleetView} from './views/fleet';
import {OverviewView} from './views/overview';
import {ResultsView} from './views/results';
import {RunsView} from './views/runs';
import {ShapeView} from './views/shape';
import {SpeedupsView} from './views/speedups';
import {TrendsView} from './views/trends';
import {TuneView} from './views/tune';

export interface View {
  name: string;  // '': where the address says nothing
  title: string;
  component: ComponentType;
  listed: boolean;  // in the navigation
  hasTp?: boolean;  // a filter "tp": who goes there takes it along
}

export const kViews: View[] = [
  {name: '', title: 'Overview', component: OverviewView, listed: true, hasTp: true},
  {name: 'families', title: 'Families', component: FamiliesView, listed: true, hasTp: true},
  {name: 'coverage', title: 'Coverage', component: CoverageView, listed: true, hasTp: true},
  {name: 'build', title: 'Build', component: BuildView, listed: true, hasTp: true},
  {name: 'changed', title: 'Changed', component: ChangedView, listed: true, hasTp: true},
  {name: 'trends', title: 'Trends', component: TrendsView, listed: true},
  {name: 'tune', title: 'Tune', component: TuneView, listed: true, hasTp: true},
  {name: 'speedups', title: 'Speedups', component: SpeedupsView, listed: true},
  {name: 'compare', title: 'Compare', component: CompareView, listed: true},
  {name: 'results', title: 'Results', component: ResultsView, listed: true},
  {name: 'shape', title: 'Shape', component: ShapeView, listed: false},
  {name: 'fleet', title: 'Fleet', component: FleetView, listed: true},
  {name: 'runs', title: 'Runs', component: RunsView, listed: true},
  {name: 'audit', title: 'Audit', component: AuditView, listed: true},
  {name: 'api', title: 'API', component: ApiView, listed: true},
];
