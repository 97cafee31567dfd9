// Views of the engine into messages of InspectService, which HTTP shows as JSON (message_json.h).
//
// Threads: pure functions. No errors: what the engine shows is right by construction.
#ifndef PHALANX_WIRE_INSPECT_H_
#define PHALANX_WIRE_INSPECT_H_

#include <string_view>

#include "phalanx/help.h"
#include "phalanx/v1alpha1/inspect.pb.h"
#include "phalanx/view.h"

namespace phalanx::wire {

namespace pb = ::phalanx::v1alpha1;

pb::Gang EncodeGang(const GangView& gang);
pb::HostNode EncodeNode(const NodeView& node);
pb::Domain EncodeDomain(const DomainView& domain);
pb::SharedResource EncodePool(const PoolView& pool);
pb::TopologyObject EncodeTopologyObject(const TopologyObjectView& object);

pb::EntityHash EncodeEntityHash(const EntityHash& entity);
pb::FieldHash EncodeFieldHash(const FieldHash& field);

// Verdict, sentence and what it waits for; the gang without its members.
pb::ExplainGangResponse EncodeExplanation(const GangView& gang);
pb::WhatHelps EncodeHelp(const HelpView& view);
// What has to happen next for a gang that waits with this reason: "members", "room", "time", ...
std::string_view WaitsFor(ReasonCode code);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_INSPECT_H_
