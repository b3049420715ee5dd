// A view that asks about now, or for what nobody can ask beforehand.
import {Empty, ViewHead} from '../components/view';

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
