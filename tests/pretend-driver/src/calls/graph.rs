//! The calls about graphs, whose work is queued again and again.

use crate::border::{Out, Outcome};
use crate::capture::Graph;
use crate::entering::driver;
use crate::state::State;
use crate::table::Handle;
use crate::work::Work;

impl State {
    fn launch_graph(&mut self, graph: Handle, stream: Handle) -> Outcome {
        let stream = self.stream(stream)?;
        let works = self.executables.get(graph)?.works.clone();
        for range in works.iter().flat_map(Work::ranges) {
            if self.memory.around(&range)?.is_none() {
                self.notes.fault(format!("cuGraphLaunch: {} bytes that are let go", range.len()));
                return Ok(());
            }
        }
        for work in works {
            if let Work::Launch(launch) = &work {
                self.launches.push(launch.clone());
            }
            self.queue(stream, work)?;
        }
        Ok(())
    }
}

driver! {
    fn cuGraphInstantiateWithFlags(executable: Out<Handle>, graph: Handle, _flags: u64) |state| {
        state.contexts.current()?;
        let works = state.graphs.get(graph)?.works.clone();
        executable.set(state.executables.insert(Graph { works }))
    };

    fn cuGraphLaunch(graph: Handle, stream: Handle) |state| state.launch_graph(graph, stream);

    fn cuGraphDestroy(graph: Handle) |state| state.graphs.remove(graph).map(|_| ());

    fn cuGraphExecDestroy(graph: Handle) |state| state.executables.remove(graph).map(|_| ());
}
