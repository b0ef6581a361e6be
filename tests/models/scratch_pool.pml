/* The locks of primitives/scratch_pool.h: ScratchPoolView::try_acquire, acquire and release.
 *
 * THREADS threads acquire a slot and release it, ROUNDS times each, of a pool of 3 slots in 2 words of 2 bits. (The code
 * has 32 bits in a word.) The bit past the last slot is taken from the start. A thread that finds all slots taken waits
 * until one is free, and tries again.
 *
 * Holds: a slot is never held by two threads. No thread waits for ever. In the end all slots are free.
 * PLANTED: a release writes its word instead of clearing one bit of it. Then a slot is lost or given twice. */

#define SLOTS 3
#define BITS 2
#define WORDS 2
#ifndef THREADS
#define THREADS 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define ALL 3
#define NONE 255

byte words[WORDS];
byte holders[4];
byte ended;

proctype Thread(byte first) {
  byte round, word, at, taken, tried, slot;
  do
  :: round == ROUNDS -> break
  :: else ->
    round++;
  again:
    slot = NONE;
    tried = 0;
    word = first / BITS;
    at = first % BITS;
    atomic { taken = words[word]; words[word] = taken | (1 << at) };
    if
    :: (taken >> at & 1) == 0 -> slot = first; goto found
    :: else
    fi;
    do
    :: tried == WORDS -> break
    :: else ->
      do
      :: taken == ALL -> break
      :: else ->
        /* Another free bit, one after the other. */
        at = (taken & 1 -> 1 : 0);
        atomic { taken = words[word]; words[word] = taken | (1 << at) };
        if
        :: (taken >> at & 1) == 0 -> slot = word * BITS + at; goto found
        :: else
        fi
      od;
      word = (word + 1) % WORDS;
      taken = words[word];
      tried++
    od;
    (words[0] != ALL || words[1] != ALL);  /* acquire() waits */
    goto again;
  found:
    atomic { assert(slot < SLOTS && holders[slot] == 0); holders[slot]++ };
    /* the thread uses the memory of the slot */
    holders[slot]--;
#ifdef PLANTED
    words[slot / BITS] = 0
#else
    atomic { words[slot / BITS] = words[slot / BITS] & (ALL - (1 << slot % BITS)) }
#endif
  od;
  ended++
}

init {
  byte i;
  atomic {
    words[1] = 2;
    do
    :: i == THREADS -> break
    :: else -> run Thread(i % SLOTS % 2); i++  /* two threads begin at the same slot */
    od
  }
  ended == THREADS;
  assert(words[0] == 0 && words[1] == 2)
}
