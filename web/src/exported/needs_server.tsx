// What a static export draws in place of a view that needs a server.
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
