package io.kvreactive.bench.peers;

/** The tables of {@code bench peers}. {@code deno.js} has scenarios of the same names. */
enum Figure {
  SETS1("durable sets, one after the other"),
  SETS64("durable sets, 64 in flight; peers with a group commit by one thread"),
  GETS64("gets, on one thread for each core; ours on event loops, 64 in flight together"),
  LIST("entries of a list of 100,000; times are of a whole list");

  final String title;

  Figure(String title) {
    this.title = title;
  }
}
