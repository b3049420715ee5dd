// All places: the name in the address, the title, the component, and what it reads of the context. A new place is a new
// row. A static export uses `needsServer` for places about the present and for places with too many answers to store.
import type {ComponentType} from 'preact';
import {needsServer} from './components/view';
import {kExported} from './exported/mode';
import type {ContextName} from './location';
import {ChangesPlace} from './places/changes';
import {kReads, scopeOf} from './places/changes_rows';
import {FleetPlace} from './places/fleet';
import {HomePlace} from './places/home';
import {StartPlace} from './places/home_steps';
import {KernelsPlace} from './places/kernels';
import {ModelPlace} from './places/model';
import {ShapePlace} from './places/shape';
import {RowPlace} from './places/shape_row';
import {ApiView} from './views/api_view';
import {AuditView} from './views/audit';

export interface View {
  name: string;  // '': the start page
  title: string;
  component: ComponentType;
  listed: 'bar' | 'menu' | 'no';  // its place in the navigation
  reads: readonly ContextName[] | ((asked: Record<string, string>) => readonly ContextName[]);
}

const kChanges = 'It compares two states; an export has only one.';
const kFleet = 'It shows what agents do at this moment.';
const kAudit = 'Only holders of a key of the hub can use it.';
const kApi = 'It describes the interface of a server. An export has only the files that index.json lists.';

const online = (title: string, component: ComponentType, why: string) =>
  (kExported ? needsServer(title, why) : component);

export const kViews: View[] = [
  {name: '', title: 'Home', component: HomePlace, listed: 'bar', reads: []},
  {name: 'model', title: 'Model', component: ModelPlace, listed: 'bar',
    reads: ['model', 'device', 'tp', 'engine', 'stored', 'against']},
  {name: 'kernels', title: 'Kernels', component: KernelsPlace, listed: 'bar', reads: ['device']},
  {name: 'shape', title: 'Shape', component: kExported ? RowPlace : ShapePlace, listed: 'no', reads: []},
  {name: 'changes', title: 'Changes', component: online('Changes', ChangesPlace, kChanges), listed: 'bar',
    reads: (asked) => kReads[scopeOf(asked)]},
  {name: 'fleet', title: 'Fleet', component: online('Fleet', FleetPlace, kFleet), listed: 'bar', reads: []},
  {name: 'start', title: 'How to start', component: StartPlace, listed: 'menu', reads: []},
  {name: 'audit', title: 'Audit', component: online('Audit', AuditView, kAudit), listed: 'menu', reads: []},
  {name: 'api', title: 'API', component: online('API', ApiView, kApi), listed: 'menu', reads: []},
];
