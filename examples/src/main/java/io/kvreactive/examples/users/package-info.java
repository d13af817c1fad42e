/**
 * Users with indexes kept by hand. Open {@link io.kvreactive.examples.users.Users} first, then
 * {@link io.kvreactive.examples.users.EmailMigration}.
 */
@NullMarked
package io.kvreactive.examples.users;

import org.jspecify.annotations.NullMarked;
