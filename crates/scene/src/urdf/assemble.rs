//! Assembles links and joints to one tree.
//!
//! Parents come before children, and otherwise links keep the order of the file. So a file that lists parents before
//! children keeps its order.

use super::joint::JointEntry;
use super::link::LinkEntry;
use super::reader::Reader;
use super::{BaseKind, Collision, UrdfOptions};
use crate::error::{SceneError, list_names, nearest_name};
use ropewalk_body::{Joint, JointKind, Link, Mimic, Tree, TreeError};
use ropewalk_linalg::Pose;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Name of the joint between the world and the root.
pub const BASE_JOINT: &str = "(base)";

/// Most links of a robot.
const MOST_LINKS: usize = 10_000;
/// Most degrees of freedom of a robot: its mass matrix is dense.
const MOST_DOFS: usize = 1_000;

/// A tree, and what goes with its links.
pub(super) struct Assembled {
    pub(super) tree: Tree,
    pub(super) joint_order: Vec<usize>,
    pub(super) collisions: Vec<Collision>,
    pub(super) visuals: Vec<Collision>,
}

/// Joins the links.
pub(super) fn assemble(
    reader: &Reader<'_>,
    mut links: Vec<LinkEntry<'_>>,
    joints: &[JointEntry<'_>],
    options: &UrdfOptions,
) -> Result<Assembled, SceneError> {
    let names = unique_names(reader, &links)?;
    check_joint_names(reader, joints)?;
    let (parent_joint, children) = connect(reader, &links, joints, &names)?;
    let order = sort(reader, &links, joints, &parent_joint, &children)?;

    let mut place = vec![0; links.len()];
    order.iter().enumerate().for_each(|(at, &link)| place[link] = at);
    let joint_order: Vec<usize> = joints.iter().map(|j| place[names[j.child]]).collect();
    let mimics = resolve_mimics(reader, joints, &joint_order)?;
    check_size(reader, &links, joints, options)?;

    let mut tree_links = Vec::with_capacity(links.len());
    let (mut collisions, mut visuals) = (Vec::new(), Vec::new());
    for &index in &order {
        let link = &mut links[index];
        let (parent, joint) = match parent_joint[index] {
            Some(j) => {
                let mut joint = joints[j].joint.clone();
                joint.mimic = mimics[j];
                (Some(place[names[joints[j].parent]]), joint)
            }
            None => (None, base_joint(options)),
        };
        let at = tree_links.len();
        for (all, own) in [(&mut collisions, &mut link.collisions), (&mut visuals, &mut link.visuals)] {
            all.extend(core::mem::take(own).into_iter().map(|c| Collision { link: at, ..c }));
        }
        tree_links.push(Link { name: link.name.to_owned(), parent, joint, inertia: link.inertia });
    }
    let tree = Tree::new(tree_links).map_err(|e| place_tree_error(reader, &links, joints, e))?;
    Ok(Assembled { tree, joint_order, collisions, visuals })
}

/// A welded base has its pose in the joint; that of a free one is its first position.
fn base_joint(options: &UrdfOptions) -> Joint {
    match options.base {
        BaseKind::Welded => Joint::new(BASE_JOINT, JointKind::Fixed, options.base_pose),
        BaseKind::Free => Joint::new(BASE_JOINT, JointKind::Free, Pose::IDENTITY),
    }
}

/// A bound on memory and time, far beyond real robots.
fn check_size(
    reader: &Reader<'_>,
    links: &[LinkEntry<'_>],
    joints: &[JointEntry<'_>],
    options: &UrdfOptions,
) -> Result<(), SceneError> {
    let base = base_joint(options).kind.velocity_count();
    let dofs = base + joints.iter().map(|j| j.joint.kind.velocity_count()).sum::<usize>();
    if links.len() > MOST_LINKS || dofs > MOST_DOFS {
        let message = format!("this robot has {} links and {dofs} degrees of freedom", links.len());
        return Err(reader
            .source
            .error_of_file(message)
            .expected(format!("at most {MOST_LINKS} links and {MOST_DOFS} degrees of freedom")));
    }
    Ok(())
}

/// Puts in the place of the link or joint that cannot be simulated.
fn place_tree_error(
    reader: &Reader<'_>,
    links: &[LinkEntry<'_>],
    joints: &[JointEntry<'_>],
    error: TreeError,
) -> SceneError {
    let node = match &error {
        TreeError::Empty => None,
        TreeError::Link { link, .. } => links.iter().find(|l| l.name == link).map(|l| l.node),
        TreeError::Joint { joint, .. } => joints.iter().find(|j| j.joint.name == *joint).map(|j| j.node),
    };
    match node {
        Some(node) => reader.error_in(node, "name", error.to_string()),
        None => reader.source.error_of_file(error.to_string()),
    }
}

fn unique_names<'n>(
    reader: &Reader<'_>,
    links: &[LinkEntry<'n>],
) -> Result<HashMap<&'n str, usize>, SceneError> {
    let mut names = HashMap::with_capacity(links.len());
    for (i, link) in links.iter().enumerate() {
        if names.insert(link.name, i).is_some() {
            return Err(reader
                .error_in(link.node, "name", format!("there is another link called {:?}", link.name))
                .hint("give each link a name of its own"));
        }
    }
    if links.is_empty() {
        return Err(reader.source.error_of_file("this robot has no link").hint("add <link name=\"base\"/>"));
    }
    Ok(names)
}

fn check_joint_names(reader: &Reader<'_>, joints: &[JointEntry<'_>]) -> Result<(), SceneError> {
    let mut seen = HashMap::with_capacity(joints.len());
    for joint in joints {
        let name = joint.joint.name.as_str();
        if seen.insert(name, ()).is_some() || name == BASE_JOINT {
            return Err(reader
                .error_in(joint.node, "name", format!("there is another joint called {name:?}"))
                .hint("give each joint a name of its own"));
        }
    }
    Ok(())
}

/// For each link the joint to its parent, and its children in the order of the joints.
type Connections = (Vec<Option<usize>>, Vec<Vec<usize>>);

fn connect(
    reader: &Reader<'_>,
    links: &[LinkEntry<'_>],
    joints: &[JointEntry<'_>],
    names: &HashMap<&str, usize>,
) -> Result<Connections, SceneError> {
    let mut parent_joint = vec![None; links.len()];
    let mut children = vec![Vec::new(); links.len()];
    for (j, joint) in joints.iter().enumerate() {
        let find = |end: &str, name: &str| {
            names.get(name).copied().ok_or_else(|| {
                let node = joint.node.children().find(|c| c.tag_name().name() == end).unwrap_or(joint.node);
                let all = || links.iter().map(|l| l.name);
                reader
                    .error_in(node, "link", format!("there is no link {name:?}"))
                    .expected(format!("one of {}", list_names(all())))
                    .nearest(nearest_name(name, all()))
            })
        };
        let (parent, child) = (find("parent", joint.parent)?, find("child", joint.child)?);
        if parent == child {
            return Err(reader.error(joint.node, format!("this joint joins {:?} to itself", joint.child)));
        }
        if let Some(other) = parent_joint[child].replace(j) {
            let other: &JointEntry<'_> = &joints[other];
            return Err(reader
                .error(
                    joint.node,
                    format!(
                        "the link {:?} has two parents: {:?} by the joint {:?}, and {:?}",
                        joint.child, other.parent, other.joint.name, joint.parent
                    ),
                )
                .hint("a robot is a tree: cut the loop, and close it by an attachment in the scene"));
        }
        children[parent].push(child);
    }
    Ok((parent_joint, children))
}

/// All links, parents before children.
fn sort(
    reader: &Reader<'_>,
    links: &[LinkEntry<'_>],
    joints: &[JointEntry<'_>],
    parent_joint: &[Option<usize>],
    children: &[Vec<usize>],
) -> Result<Vec<usize>, SceneError> {
    let mut roots = (0..links.len()).filter(|i| parent_joint[*i].is_none());
    let Some(root) = roots.next() else {
        return Err(reader
            .error(joints[0].node, "the joints go round in a circle: every link has a parent")
            .hint("one link, the base, must be the child of no joint"));
    };
    if let Some(second) = roots.next() {
        return Err(reader
            .error_in(
                links[second].node,
                "name",
                format!("two links have no parent: {:?} and {:?}", links[root].name, links[second].name),
            )
            .hint("join them, with a fixed joint if need be, or make them two robots"));
    }
    let mut order = Vec::with_capacity(links.len());
    let mut ready = BinaryHeap::from([Reverse(root)]);
    while let Some(Reverse(link)) = ready.pop() {
        order.push(link);
        ready.extend(children[link].iter().map(|c| Reverse(*c)));
    }
    if order.len() < links.len() {
        let mut reached = vec![false; links.len()];
        order.iter().for_each(|&l| reached[l] = true);
        let lost = reached.iter().position(|r| !r).unwrap_or(0);
        return Err(reader
            .error_in(
                links[lost].node,
                "name",
                format!("the link {:?} hangs in a circle of joints, apart from the base", links[lost].name),
            )
            .hint("a robot is a tree: one of these links must hang on the base"));
    }
    Ok(order)
}

/// Followers of followers get the first leader of the chain.
fn resolve_mimics(
    reader: &Reader<'_>,
    joints: &[JointEntry<'_>],
    joint_order: &[usize],
) -> Result<Vec<Option<Mimic>>, SceneError> {
    let index: HashMap<&str, usize> =
        joints.iter().enumerate().map(|(j, joint)| (joint.joint.name.as_str(), j)).collect();
    let mut out = vec![None; joints.len()];
    for (j, joint) in joints.iter().enumerate() {
        let Some(mimic) = &joint.mimic else { continue };
        // q_j = m₁ q_a + o₁ with q_a = m₂ q_b + o₂ gives q_j = m₁ m₂ q_b + m₁ o₂ + o₁, and so on.
        let (mut multiplier, mut offset) = (1.0, 0.0);
        let mut at = mimic;
        for links_in_chain in 0.. {
            let leader = *index.get(at.leader).ok_or_else(|| {
                let all = || joints.iter().map(|j| j.joint.name.as_str());
                reader
                    .error_in(at.node, "joint", format!("there is no joint {:?}", at.leader))
                    .expected(format!("one of {}", list_names(all())))
                    .nearest(nearest_name(at.leader, all()))
            })?;
            if leader == j || links_in_chain >= joints.len() {
                return Err(reader
                    .error(mimic.node, format!("the joint {:?} follows itself", joint.joint.name))
                    .hint("one joint of a group must lead"));
            }
            if joints[leader].joint.kind.velocity_count() != 1 {
                let kind = joints[leader].joint.kind.name();
                return Err(reader
                    .error_in(at.node, "joint", format!("a {kind} joint cannot lead another"))
                    .expected("a joint with one degree of freedom"));
            }
            offset += multiplier * at.offset;
            multiplier *= at.multiplier;
            match &joints[leader].mimic {
                Some(next) => at = next,
                None => {
                    out[j] = Some(Mimic { leader: joint_order[leader], multiplier, offset });
                    break;
                }
            }
        }
        if !(multiplier.is_finite() && offset.is_finite()) {
            return Err(reader.error(mimic.node, "multiplier and offset leave the range of numbers"));
        }
    }
    Ok(out)
}
