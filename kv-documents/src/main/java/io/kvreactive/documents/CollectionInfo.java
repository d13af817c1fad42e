package io.kvreactive.documents;

import io.kvreactive.Versionstamp;

/**
 * A collection's definition and the progress of the change to it.
 *
 * @param name the name of the collection
 * @param definition the definition in normal form
 * @param policyVersion the number of definitions that the collection has had, from 1
 * @param etag the versionstamp of the last commit that changed the definition
 * @param transformation the progress of the change to this definition
 */
public record CollectionInfo(
    String name,
    CollectionDefinition definition,
    int policyVersion,
    Versionstamp etag,
    TransformationProgress transformation) {}
