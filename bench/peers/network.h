// Reads the files of network.py: links by the numbers of their ends, and flows with their starts and routes.
#pragma once

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct Network
{
    struct Flow
    {
        uint64_t start; // ps
        std::vector<uint32_t> there; // links, as positions in `links`
        std::vector<uint32_t> back;
    };

    std::vector<std::pair<uint32_t, uint32_t>> links; // from and to
    std::vector<Flow> flows;

    uint32_t source(const Flow& flow) const { return links[flow.there.front()].first; }
    uint32_t destination(const Flow& flow) const { return links[flow.there.back()].second; }
};

inline std::vector<uint32_t> read_way(std::istream& file)
{
    size_t length = 0;
    file >> length;
    std::vector<uint32_t> way(length);
    for (auto& link : way)
    {
        file >> link;
    }
    return way;
}

inline Network read_network(const std::string& path)
{
    std::ifstream file(path);
    Network network;
    size_t links = 0;
    size_t flows = 0;
    file >> links;
    network.links.resize(links);
    for (auto& link : network.links)
    {
        file >> link.first >> link.second;
    }
    file >> flows;
    network.flows.resize(flows);
    for (auto& flow : network.flows)
    {
        file >> flow.start;
        flow.there = read_way(file);
        flow.back = read_way(file);
    }
    if (!file || links == 0 || flows == 0)
    {
        throw std::runtime_error(path + " is not a network");
    }
    return network;
}
