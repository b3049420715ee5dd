// All views: the addresses that a test opens, with the expected tables and texts.
import type {ViewTable} from '../look';
import {kChangeViews} from './changes';
import {kHomeViews} from './home';
import {kKernelViews} from './kernels';
import {kMapViews} from './map';
import {kPlotViews} from './plots';
import {kShapeViews} from './shape';
import {kWorkViews} from './work';

export const kSaid: ViewTable = {...kHomeViews, ...kChangeViews, ...kKernelViews, ...kMapViews, ...kPlotViews, ...kShapeViews, ...kWorkViews};
