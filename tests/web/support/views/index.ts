// All views: the addresses that a test opens, with the expected tables and texts.
import type {ViewTable} from '../look';
import {kChangeViews} from './changes';
import {kKeyViews} from './keys';
import {kModelViews} from './models';
import {kOverviewViews} from './overview';
import {kShapeViews} from './shape';
import {kWorkViews} from './work';

export const kSaid: ViewTable = {...kOverviewViews, ...kChangeViews, ...kKeyViews, ...kModelViews, ...kShapeViews, ...kWorkViews};
