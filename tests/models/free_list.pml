/* The free list of primitives/free_list.h: FreeListView::allocate and FreeListView::free.
 *
 * THREADS threads take a node and give it back, ROUNDS times each. A step that is one atomic operation there is one step
 * here. A loop that waits for a place is a guard here, so that a place that stays stuck is an invalid end state.
 *
 * Holds: a node is never given to two threads. No thread waits for ever. With ENOUGH, where as many nodes as threads
 * exist, no thread is refused. In the end all nodes are in the ring.
 * PLANTED: `returned` is read before the claim is made, as its comment warns. Then a thread is refused. */

#ifndef NODES
#define NODES 2
#endif
#define RING 4   /* a power of two, at least NODES */
#define THREADS 3
#define ROUNDS 2
#define NONE 255

byte ring[RING] = NONE;
byte claims, taken, returned = NODES;
bool held[NODES];   /* the bits of the list, and who may use a node */
byte ended;

proctype Thread() {
  byte round, claim, limit, place, node;
  do
  :: round == ROUNDS -> break
  :: else ->
    round++;
    claim = claims;  /* claim(): look first */
    limit = returned;
    if
    :: claim >= limit -> goto refused
    :: else
    fi;
#ifdef PLANTED
    limit = returned;
    atomic { claim = claims; claims++ };
#else
    atomic { claim = claims; claims++ };
    limit = returned;
#endif
    if
    :: claim < limit
    :: else -> claims--; goto refused
    fi;
    atomic { place = taken % RING; taken++ };
    /* take_from(): the load and the compare-and-swap that succeeds */
    atomic { ring[place] != NONE -> node = ring[place]; ring[place] = NONE };
    atomic { assert(node < NODES && !held[node]); held[node] = true };
    /* the thread uses the node */
    atomic { assert(held[node]); held[node] = false };  /* free() */
    atomic { place = returned % RING; returned++ };
    atomic { ring[place] == NONE -> ring[place] = node };
    goto next;
  refused:
#ifdef ENOUGH
    assert(false);
#endif
  next:
    skip
  od;
  ended++
}

init {
  byte i;
  atomic {
    do
    :: i == NODES -> break
    :: else -> ring[i] = i; i++
    od;
    i = 0;
    do
    :: i == THREADS -> break
    :: else -> run Thread(); i++
    od
  }
  ended == THREADS;
  assert(claims == taken && returned == taken + NODES);
  byte there;
  i = 0;
  do
  :: i == RING -> break
  :: else ->
    if
    :: ring[i] != NONE -> there++
    :: else
    fi;
    i++
  od;
  assert(there == NODES)
}
