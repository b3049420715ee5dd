// A view that asks about now, or for what nobody can ask beforehand.
import {Empty} from '../components/states';
import {ViewHead} from '../components/view_head';

export const needsServer = (title: string, why: string) =>
  function NeedsServer() {
    return (
      <>
        <ViewHead title={title} />
        <Empty>
          <p><strong>This view needs a server.</strong></p>
          <p>This page is a static export: files without a server. {why}</p>
        </Empty>
      </>
    );
  };
