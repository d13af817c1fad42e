/** The scores of players, with a ranking that is always consistent with them. */
@NullMarked
package io.kvreactive.examples.leaderboard;

import org.jspecify.annotations.NullMarked;
