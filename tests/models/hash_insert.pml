/* Insertion, erasure and search in the table of primitives/tables/tagged_slots.h: look_to_put, fill, look_to_erase and
 * look_for_key of TaggedSlots.
 *
 * All keys have one fingerprint and one home, the first of SLOTS slots, so that all threads meet. Two threads insert key
 * 1, and one of them erases it and inserts it again. The third inserts key 2, and searches key 1. A thread that must
 * wait for a record that is being written is a guard here.
 *
 * Holds: a key is never in two full slots. A thread that sees a full slot sees its key. A key that nothing erases is
 * found once its insertion has returned. No thread waits for ever.
 * PLANTED: an insertion passes a slot that is being written, instead of waiting for its key. Then a key is there twice. */

#define SLOTS 4
#define EMPTY 0
#define WRITING 1
#define FULL 2
#define ERASED 3

byte tags[SLOTS];
byte keys[SLOTS];
byte full_of[3];  /* how many full slots have key 1 and key 2 */
byte inserted_count;
byte ended;

inline insert(key, slot, tag) {
  slot = 0;
  do
  :: assert(slot < SLOTS);
    tag = tags[slot];
    if
    :: tag == EMPTY ->
      atomic {
        tag = tags[slot];
        if
        :: tag == EMPTY -> tags[slot] = WRITING
        :: else
        fi
      };
      if
      :: tag == EMPTY ->
        keys[slot] = key;
        atomic { tags[slot] = FULL; full_of[key]++; assert(full_of[key] == 1); inserted_count++ };
        break
      :: else
      fi
    :: else
    fi;
    tag = tags[slot];  /* acquired */
    if
    :: tag == FULL && keys[slot] == key -> break
#ifndef PLANTED
    :: tag == WRITING -> tags[slot] != WRITING  /* then look again */
#endif
    :: else -> assert(tag != FULL || keys[slot] != 0); slot++
    fi
  od
}

inline find(key, slot, tag, is_found) {
  slot = 0;
  is_found = false;
  do
  :: slot == SLOTS -> break
  :: else ->
    tag = tags[slot];
    if
    :: tag == EMPTY -> break
    :: tag == FULL ->
      assert(keys[slot] != 0);
      if
      :: keys[slot] == key -> is_found = true; break
      :: else -> slot++
      fi
    :: else -> slot++
    fi
  od
}

inline erase(key, slot, tag, is_found) {
  find(key, slot, tag, is_found);
  if
  :: is_found ->
    atomic {
      if
      :: tags[slot] == FULL -> tags[slot] = ERASED; full_of[key]--
      :: else
      fi
    }
  :: else
  fi
}

proctype Inserts() {
  byte slot, tag;
  insert(1, slot, tag);
  ended++
}

proctype InsertsAndErases() {
  byte slot, tag;
  bool is_found;
  insert(1, slot, tag);
  erase(1, slot, tag, is_found);
  assert(is_found);  /* nothing else erases it */
  insert(1, slot, tag);
  find(1, slot, tag, is_found);
  assert(is_found);
  ended++
}

proctype InsertsAnother() {
  byte slot, tag;
  bool is_found;
  insert(2, slot, tag);
  find(2, slot, tag, is_found);
  assert(is_found);
  find(1, slot, tag, is_found);
  ended++
}

init {
  atomic {
    run Inserts();
    run InsertsAndErases();
    run InsertsAnother()
  }
  ended == 3;
  assert(full_of[1] == 1 && full_of[2] == 1 && (inserted_count == 3 || inserted_count == 4))
}
