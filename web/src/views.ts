// All views: the name in the address, the title and the component. A new view is a new row. A static export uses
// `needsServer` for views about the present and for views with too many answers to store.
import type {ComponentType} from 'preact';
import {needsServer} from './components/view';
import {kExported} from './exported/mode';
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
import {RowView} from './views/shape_row';
import {SpeedupsView} from './views/speedups';
import {TrendsView} from './views/trends';
import {TuneView} from './views/tune';

export interface View {
  name: string;  // '': the start page
  title: string;
  component: ComponentType;
  listed: boolean;  // in the navigation
  hasTp?: boolean;  // the view has a filter "tp", which links keep
}

const kBuild = 'It checks any model against any build, which a static copy cannot compute.'
  + ' The tables themselves are in this copy: see Results.';
const kChanged = 'It compares what is served now with any state before; a copy is of one state.';
const kCompare = 'It compares any two runs, of which there are more pairs than files.';
const kFleet = 'It shows what agents do at this moment.';
const kAudit = 'It is for those who hold a key of the hub.';
const kApi = 'It describes the interface of a server. What is here are the files that index.json lists.';

export const kViews: View[] = [
  {name: '', title: 'Overview', component: OverviewView, listed: true, hasTp: true},
  {name: 'families', title: 'Families', component: FamiliesView, listed: true, hasTp: true},
  {name: 'coverage', title: 'Coverage', component: CoverageView, listed: true, hasTp: true},
  {name: 'build', title: 'Build', component: kExported ? needsServer('Build', kBuild) : BuildView, listed: true,
    hasTp: !kExported},
  {name: 'changed', title: 'Changed', component: kExported ? needsServer('Changed', kChanged) : ChangedView,
    listed: true, hasTp: !kExported},
  {name: 'trends', title: 'Trends', component: TrendsView, listed: true},
  {name: 'tune', title: 'Tune', component: TuneView, listed: true, hasTp: true},
  {name: 'speedups', title: 'Speedups', component: SpeedupsView, listed: true},
  {name: 'compare', title: 'Compare', component: kExported ? needsServer('Compare', kCompare) : CompareView,
    listed: true},
  {name: 'results', title: 'Results', component: ResultsView, listed: true},
  {name: 'shape', title: 'Shape', component: kExported ? RowView : ShapeView, listed: false},
  {name: 'fleet', title: 'Fleet', component: kExported ? needsServer('Fleet', kFleet) : FleetView, listed: true},
  {name: 'runs', title: 'Runs', component: RunsView, listed: true},
  {name: 'audit', title: 'Audit', component: kExported ? needsServer('Audit', kAudit) : AuditView, listed: true},
  {name: 'api', title: 'API', component: kExported ? needsServer('API', kApi) : ApiView, listed: true},
];
