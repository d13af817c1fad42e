package io.kvreactive;

/**
 * How far the image has been built anew.
 *
 * @param copied keys that are in the new one
 * @param keys keys that the old one had when it began, of users and of the store itself
 * @param bytesBefore size of the old one's files
 * @param bytesAfter size of the new one's files when it is done, before that 0
 * @param done true if the new one is in use
 */
public record CompactionProgress(
    long copied, long keys, long bytesBefore, long bytesAfter, boolean done) {}
