package io.kvreactive.index;

import io.kvreactive.Versionstamp;

/**
 * A collection and how it is doing.
 *
 * @param name its name
 * @param definition in normal form
 * @param policyVersion counts the definitions it has had, from 1
 * @param etag the commit that changed the definition last
 * @param transformation how far the change to this definition has come
 */
public record CollectionInfo(
    String name,
    CollectionDefinition definition,
    int policyVersion,
    Versionstamp etag,
    TransformationProgress transformation) {}
