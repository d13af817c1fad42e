package io.kvreactive;

/**
 * The progress of a compaction, which rebuilds the image.
 *
 * @param copied the number of keys in the new image
 * @param keys the number of keys of the old image at the start, including the store's internal ones
 * @param bytesBefore the size of the old image's files
 * @param bytesAfter the size of the new image's files; 0 until done
 * @param done true if the new image is in use
 */
public record CompactionProgress(
    long copied, long keys, long bytesBefore, long bytesAfter, boolean done) {}
