// Replaces components/search.tsx in an export's page: shows the revision and the time of the export.
import {useEffect, useState} from 'preact/hooks';
import {moment} from '../format';
import {readIndex, type ExportIndex} from './api';

export function Search() {
  const [index, setIndex] = useState<ExportIndex>();
  useEffect(() => {
    readIndex().then(setIndex, () => undefined);
  }, []);
  return (
    <p class="search notice" role="note">
      Read-only copy{index && ` of revision ${index.revision}, made ${moment(index.created)} UTC`}
    </p>
  );
}
