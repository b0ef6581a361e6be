/* The queue of tasks of primitives/task_queue.h, run by the workers of primitives/cpu/waterfall.h: push, publish, take,
 * finish and has_ended of TaskQueueView, in run_tasks_of.
 *
 * THREADS workers run a first task, which pushes two, each of which pushes one that pushes none. Where CAPACITY is below
 * 5, some are refused. A worker that waits for its place is a guard here, so that a run that never ends is an invalid
 * end state.
 *
 * Holds: a worker that takes a task sees what was pushed. Each accepted task runs once. The run ends, and not before all
 * accepted tasks have run.
 * PLANTED: a task is counted as finished before its pushes. Then the run ends too early. */

#ifndef CAPACITY
#define CAPACITY 5
#endif
#define PLACES 6
#define THREADS 3

byte tasks[PLACES];  /* how deep the task is, plus one; 0 was never written */
bool ready[PLACES];
byte runs[PLACES];
byte pushed, finished, ticket;
bool ended;
byte left;

/* Pushes a task. Two steps: reserve, and publish. */
inline push(depth, place) {
  atomic { place = pushed; pushed++ };
  if
  :: place < CAPACITY ->
    tasks[place] = depth + 1;
    ready[place] = true
  :: else
  fi
}

/* finish(): `finished` first, then `pushed`. */
inline finish(count, accepted) {
  atomic { finished++; count = finished };
  accepted = pushed;
  if
  :: accepted > CAPACITY -> accepted = CAPACITY
  :: else
  fi;
  if
  :: count == accepted -> ended = true
  :: else
  fi
}

proctype Worker() {
  byte mine, place, depth, count, accepted;
  do
  :: ended -> break
  :: else ->
    atomic { mine = ticket; ticket++ };
    if
    :: mine >= CAPACITY -> break
    :: else
    fi;
    if
    :: ready[mine]
    :: ended -> break
    fi;
    depth = tasks[mine];
    ready[mine] = false;
    atomic { assert(depth > 0); depth--; runs[mine]++; assert(runs[mine] == 1) };
#ifdef PLANTED
    finish(count, accepted);
#endif
    if
    :: depth == 0 -> push(1, place); push(1, place)
    :: depth == 1 -> push(2, place)
    :: else
    fi;
#ifndef PLANTED
    finish(count, accepted)
#endif
  od;
  left++
}

init {
  byte i;
  atomic {
    pushed = 1;
    tasks[0] = 1;
    ready[0] = true;
    do
    :: i == THREADS -> break
    :: else -> run Worker(); i++
    od
  }
  left == THREADS;
  assert(ended);
  i = 0;
  do
  :: i == CAPACITY || i == 5 -> break
  :: else -> assert(runs[i] == 1 && !ready[i]); i++
  od
}
